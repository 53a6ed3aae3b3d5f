//! Grids as buffers. The buffer protocol hands over a raw pointer to a structure that is filled in here;
//! it points into the grid, which the view keeps alive.
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
/// `view` points to a `Py_buffer` that may be written, as the buffer protocol has it.
pub(crate) unsafe fn fill(
    slf: &Bound<'_, PyGrid>,
    view: *mut ffi::Py_buffer,
    flags: c_int,
) -> PyResult<()> {
    if view.is_null() {
        return Err(PyBufferError::new_err("no view to fill in"));
    }
    if flags & ffi::PyBUF_WRITABLE == ffi::PyBUF_WRITABLE {
        // SAFETY: the caller says that it may be written.
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
    // SAFETY: the caller says that the view may be written. A grid never changes and is frozen, so
    // its cells, shape and strides stay where they are as long as it lives, and the view owns a
    // reference to it. Nobody writes through `buf`, `shape` or `strides`: the view is read-only.
    unsafe {
        (*view).obj = slf.clone().into_any().into_ptr();
        (*view).buf = cells.as_ptr().cast_mut().cast();
        (*view).len = cells.len() as ffi::Py_ssize_t;
        (*view).readonly = 1;
        (*view).itemsize = 1;
        (*view).format = match has(ffi::PyBUF_FORMAT) {
            true => FORMAT.as_ptr().cast_mut(),
            false => ptr::null_mut(),
        };
        // Who does not ask for a shape gets a row of bytes.
        (*view).ndim = if has(ffi::PyBUF_ND) { 2 } else { 1 };
        (*view).shape = match has(ffi::PyBUF_ND) {
            true => this.shape.as_ptr().cast_mut(),
            false => ptr::null_mut(),
        };
        (*view).strides = match has(ffi::PyBUF_STRIDES) {
            true => this.strides.as_ptr().cast_mut(),
            false => ptr::null_mut(),
        };
        (*view).suboffsets = ptr::null_mut();
        (*view).internal = ptr::null_mut();
    }
    Ok(())
}
