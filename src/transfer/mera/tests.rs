//! Records of small repositories.
