//! What the library asks of the system that loads it, and what it shows to the process.

use crate::support::library;
use object::elf::{self, FileHeader64};
use object::read::elf::{Dyn, FileHeader, Sym};
use object::{LittleEndian, SymbolIndex};
use std::fs;

/// Every function that a program can see. Anything else would stand in front of somebody's own.
const EXPORTS: [&str; 29] = [
    "aligned_alloc",
    "calloc",
    "cfree",
    "free",
    "free_aligned_sized",
    "free_sized",
    "highwater_abi",
    "highwater_canary",
    "highwater_fail",
    "highwater_finish",
    "highwater_live",
    "highwater_mark",
    "highwater_python_attach",
    "highwater_read",
    "highwater_record_create",
    "highwater_section",
    "highwater_stage",
    "highwater_version",
    "malloc",
    "memalign",
    "mmap",
    "mmap64",
    "mremap",
    "munmap",
    "posix_memalign",
    "pvalloc",
    "realloc",
    "reallocarray",
    "valloc",
];

/// glibc 2.17 is what `manylinux2014` wheels and CentOS 7 have.
const NEWEST_GLIBC: [u32; 2] = [2, 17];

#[test]
fn it_loads_on_old_systems_and_shows_no_more_than_it_must() {
    let data = fs::read(library()).unwrap();
    let found = Found::read(&data);
    assert_eq!(found.exports, EXPORTS);
    assert_eq!(found.needed, ["libc.so.6"]);
    assert!(!found.versions.is_empty());
    for version in &found.versions {
        let number = version.strip_prefix("GLIBC_").unwrap_or_else(|| panic!("{version}"));
        let number: Vec<u32> = number.split('.').map(|part| part.parse().unwrap()).collect();
        assert!(number[..] <= NEWEST_GLIBC[..], "needs {version}");
    }
    // Thread-local storage at a fixed offset; nothing that is called on unloading.
    assert!(found.flags & elf::DF_STATIC_TLS.0 != 0);
}

struct Found {
    exports: Vec<String>,
    needed: Vec<String>,
    versions: Vec<String>,
    flags: u64,
}

impl Found {
    fn read(data: &[u8]) -> Self {
        let header = FileHeader64::<LittleEndian>::parse(data).unwrap();
        let endian = header.endian().unwrap();
        let sections = header.sections(endian, data).unwrap();
        let symbols = sections.symbols(endian, data, elf::SHT_DYNSYM).unwrap();
        let strings = symbols.strings();
        let text = |offset| String::from_utf8(strings.get(offset).unwrap().to_vec()).unwrap();

        let mut exports = Vec::new();
        for index in 1..symbols.len() {
            let symbol = symbols.symbol(SymbolIndex(index)).unwrap();
            if !symbol.is_undefined(endian) {
                let name = symbol.name(endian, strings).unwrap();
                exports.push(String::from_utf8(name.to_vec()).unwrap());
            }
        }
        exports.sort_unstable();

        let (dynamic, _) = sections.dynamic(endian, data).unwrap().unwrap();
        let entries = |tag| dynamic.iter().filter(move |entry| entry.tag(endian) == tag);
        let needed = entries(elf::DT_NEEDED)
            .map(|entry| text(u32::try_from(entry.val(endian)).unwrap()))
            .collect();
        let flags = entries(elf::DT_FLAGS).next().map_or(0, |entry| entry.val(endian));

        let mut versions = Vec::new();
        let (mut needs, _) = sections.gnu_verneed(endian, data).unwrap().unwrap();
        while let Some((_, mut auxiliaries)) = needs.next().unwrap() {
            while let Some(auxiliary) = auxiliaries.next().unwrap() {
                versions.push(text(auxiliary.vna_name.get(endian)));
            }
        }
        Self { exports, needed, versions, flags }
    }
}
