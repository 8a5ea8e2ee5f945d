//! Where code comes from: sources, modules, checksums.

use std::path::Path;

use serde_json::Value;

use crate::tolerant::{Id, open_enum, record};

record! {
    /// A `Source` is a descriptor for source code.
    Source {
        /// The short name of the source.
        name: Option<String>,
        /// The path of the source to be shown in the UI.
        path: Option<String>,
        /// If the value > 0 the contents of the source must be retrieved through the `source`
        /// request (even if a path is specified).
        source_reference: Option<i64>,
        /// A hint for how to present the source in the UI.
        /// Values: `normal`, `emphasize`, `deemphasize`.
        presentation_hint: Option<String>,
        /// The origin of this source.
        origin: Option<String>,
        /// A list of sources that are related to this source.
        sources: Option<Vec<Source>>,
        /// Additional data that a debug adapter might want to loop through the client.
        adapter_data: Option<Value>,
        /// The checksums associated with this file.
        checksums: Option<Vec<Checksum>>,
    }

    /// The checksum of an item calculated by the specified algorithm.
    Checksum {
        /// The algorithm used to calculate this checksum.
        algorithm: ChecksumAlgorithm,
        /// Value of the checksum, encoded as a hexadecimal value.
        checksum: String,
    }

    /// A Module object represents a row in the modules view.
    Module {
        /// Unique identifier for the module.
        id: Id,
        /// A name of the module.
        name: String,
        /// Logical full path to the module.
        path: Option<String>,
        /// True if the module is optimized.
        is_optimized: Option<bool>,
        /// True if the module is considered 'user code' by a debugger that supports 'Just My Code'.
        is_user_code: Option<bool>,
        /// Version of Module.
        version: Option<String>,
        /// User-understandable description of if symbols were found for the module (ex: 'Symbols
        /// Loaded', 'Symbols not found', etc.).
        symbol_status: Option<String>,
        /// Logical full path to the symbol file.
        symbol_file_path: Option<String>,
        /// Module created or modified, encoded as a RFC 3339 timestamp.
        date_time_stamp: Option<String>,
        /// Address range covered by this module.
        address_range: Option<String>,
    }
}

open_enum! {
    /// Names of checksum algorithms that may be supported by a debug adapter.
    ChecksumAlgorithm {
        /// `MD5`.
        Md5 = "MD5",
        /// `SHA1`.
        Sha1 = "SHA1",
        /// `SHA256`.
        Sha256 = "SHA256",
        /// `timestamp`.
        Timestamp,
    }
}

impl Source {
    /// A file.
    pub fn file(path: &Path) -> Self {
        Self {
            name: path.file_name().map(|name| name.to_string_lossy().into()),
            path: Some(path.to_string_lossy().into()),
            ..Self::default()
        }
    }

    /// The reference by which the content must be asked for, if there is one; adapters send 0 for "none".
    pub fn reference(&self) -> Option<i64> {
        self.source_reference.filter(|reference| *reference > 0)
    }
}
