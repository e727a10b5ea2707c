//! Reading numbers from untrusted bytes: a missing part is a [`DamagedRepository`], never a panic.

use crate::DamagedRepository;

/// The bytes that are left to read.
#[derive(Clone, Copy, Debug)]
pub struct Bytes<'a>(pub &'a [u8]);

impl<'a> Bytes<'a> {
    /// Takes the first `n` bytes.
    pub fn take(&mut self, n: usize) -> Result<&'a [u8], DamagedRepository> {
        let (taken, rest) = self.0.split_at_checked(n).ok_or(DamagedRepository)?;
        self.0 = rest;
        Ok(taken)
    }

    pub fn u8(&mut self) -> Result<u8, DamagedRepository> {
        Ok(self.take(1)?[0])
    }

    pub fn u16(&mut self) -> Result<u16, DamagedRepository> {
        let (number, rest) = self.0.split_first_chunk().ok_or(DamagedRepository)?;
        self.0 = rest;
        Ok(u16::from_be_bytes(*number))
    }

    pub fn u32(&mut self) -> Result<u32, DamagedRepository> {
        let (number, rest) = self.0.split_first_chunk().ok_or(DamagedRepository)?;
        self.0 = rest;
        Ok(u32::from_be_bytes(*number))
    }

    pub fn u64(&mut self) -> Result<u64, DamagedRepository> {
        let (number, rest) = self.0.split_first_chunk().ok_or(DamagedRepository)?;
        self.0 = rest;
        Ok(u64::from_be_bytes(*number))
    }

    /// Takes the bytes before the first `end`, and drops that byte.
    pub fn until(&mut self, end: u8) -> Result<&'a [u8], DamagedRepository> {
        let at = self.0.iter().position(|byte| *byte == end);
        let taken = self.take(at.ok_or(DamagedRepository)?)?;
        self.0 = &self.0[1..];
        Ok(taken)
    }

    /// Takes a number in groups of seven bits, the highest first, where each further byte also adds one: packs write
    /// distances so, and indices of version 4 write lengths so.
    pub fn distance(&mut self) -> Result<u64, DamagedRepository> {
        let mut byte = self.u8()?;
        let mut value = u64::from(byte & 0x7f);
        while byte & 0x80 != 0 {
            byte = self.u8()?;
            value = value.checked_add(1).ok_or(DamagedRepository)?;
            if value.leading_zeros() < 7 {
                return Err(DamagedRepository);
            }
            value = value << 7 | u64::from(byte & 0x7f);
        }
        Ok(value)
    }

    /// Takes a number in groups of seven bits, the lowest first: deltas write sizes so.
    pub fn size(&mut self) -> Result<u64, DamagedRepository> {
        let mut value = 0;
        for shift in (0..63).step_by(7) {
            let byte = self.u8()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(DamagedRepository)
    }
}
