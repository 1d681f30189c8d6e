"""Tensors as Python objects: conversion, copies, storages, printing."""
