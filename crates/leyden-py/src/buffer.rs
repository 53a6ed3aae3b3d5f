//! Grids as buffers. The buffer protocol passes a raw pointer to a structure, which this file fills
//! in. The structure points into the grid, which the view keeps alive.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_int};
use std::ptr;

use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;

use crate::grid::PyGrid;

/// Cells are unsigned bytes.
const FORMAT: &CStr = c"B";

/// Fills in a view of a grid's cells: two dimensions, row after row, for reading.
///
/// # Safety
/// `view` points to a writable `Py_buffer`, as the buffer protocol requires.
pub(crate) unsafe fn fill(
    slf: &Bound<'_, PyGrid>,
    view: *mut ffi::Py_buffer,
    flags: c_int,
) -> PyResult<()> {
    if view.is_null() {
        return Err(PyBufferError::new_err("no view to fill in"));
    }
    if flags & ffi::PyBUF_WRITABLE == ffi::PyBUF_WRITABLE {
        // SAFETY: the caller guarantees that the view is writable.
        unsafe { (*view).obj = ptr::null_mut() };
        return Err(PyBufferError::new_err("a grid is read-only"));
    }
    let has = |flag: c_int| flags & flag == flag;
    let this = slf.get();
    let (height, width) = this.grid.shape();
    if has(ffi::PyBUF_F_CONTIGUOUS) && height > 1 && width > 1 {
        // SAFETY: as above.
        unsafe { (*view).obj = ptr::null_mut() };
        let message = "a grid is stored row after row, not column after column";
        return Err(PyBufferError::new_err(message));
    }
    let cells = this.grid.cells();
    // SAFETY: the caller guarantees that the view is writable. A grid never changes and is frozen,
    // so its cells, shape and strides stay where they are as long as it lives, and the view owns a
    // reference to it. The view is read-only, so no code writes through `buf`, `shape` or
    // `strides`.
    unsafe {
        (*view).obj = slf.clone().into_any().into_ptr();
        (*view).buf = cells.as_ptr().cast_mut().cast();
        (*view).len = cells.len() as ffi::Py_ssize_t;
        (*view).readonly = 1;
        (*view).itemsize = 1;
        (*view).format = if has(ffi::PyBUF_FORMAT) {
            FORMAT.as_ptr().cast_mut()
        } else {
            ptr::null_mut()
        };
        // A consumer that does not ask for a shape gets a row of bytes.
        (*view).ndim = if has(ffi::PyBUF_ND) { 2 } else { 1 };
        (*view).shape = if has(ffi::PyBUF_ND) {
            this.shape.as_ptr().cast_mut()
        } else {
            ptr::null_mut()
        };
        (*view).strides = if has(ffi::PyBUF_STRIDES) {
            this.strides.as_ptr().cast_mut()
        } else {
            ptr::null_mut()
        };
        (*view).suboffsets = ptr::null_mut();
        (*view).internal = ptr::null_mut();
    }
    Ok(())
}
