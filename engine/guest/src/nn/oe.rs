//! nn::oe (operation mode, messages), nn::settings, nn::account and nn::time basics.

use crate::call::GuestCall;
use crate::fault::GuestFault;
use crate::kernel::ResultCode;
use crate::memory::GuestWrite;
use crate::registry::HostRegistry;

/// The one user: any stable number that is not 0.
const USER: [u64; 2] = [0x6665_7272_6F67_7261, 0x7068_0000_0000_0001];
const USER_NOT_FOUND: ResultCode = ResultCode(0xC87C);
/// Language codes by number.
const LANGUAGES: [&str; 18] = [
    "ja", "en-US", "fr", "de", "it", "es", "zh-CN", "ko", "nl", "pt", "ru", "zh-TW", "en-GB", "fr-CA", "es-419",
    "zh-Hans", "zh-Hant", "pt-BR",
];

fn language_word(code: &str) -> u64 {
    let mut bytes = [0u8; 8];
    let kept = code.len().min(8);
    bytes[..kept].copy_from_slice(&code.as_bytes()[..kept]);
    u64::from_le_bytes(bytes)
}

/// Seconds since 1970 as the guest's wall clock shows them.
pub(super) fn wall_clock(call: &GuestCall<'_>) -> i64 {
    let passed = (call.kernel().clock().now() / 1_000_000_000) as i64;
    let start = call.process().services().settings().wall_clock;
    match (start, call.kernel().clock().mode()) {
        (Some(start), _) => start.saturating_add(passed),
        // 2017-03-03: a date of its own, so that runs with a fixed step repeat.
        (None, crate::time::TimeMode::FixedStep) => 1_488_499_200 + passed,
        (None, crate::time::TimeMode::Real) => {
            let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
            now.map_or(0, |now| now.as_secs() as i64)
        }
    }
}

/// Days since 1970-01-01 of a date in the Gregorian calendar.
fn days_from_date(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * (if month > 2 { month - 3 } else { month + 9 }) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// Year, month, day of days since 1970-01-01.
fn date_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    (year + era * 400 + i64::from(month <= 2), month, day)
}

/// The 8 bytes of nn::time::CalendarTime.
fn calendar(seconds: i64) -> [u8; 8] {
    let (days, rest) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let (year, month, day) = date_from_days(days);
    let year = (year.clamp(i64::from(i16::MIN), i64::from(i16::MAX)) as i16).to_le_bytes();
    [year[0], year[1], month as u8, day as u8, (rest / 3600) as u8, (rest / 60 % 60) as u8, (rest % 60) as u8, 0]
}

fn seconds_of(calendar: [u8; 8]) -> i64 {
    let year = i64::from(i16::from_le_bytes([calendar[0], calendar[1]]));
    let days = days_from_date(year, i64::from(calendar[2].clamp(1, 12)), i64::from(calendar[3]));
    days * 86_400 + i64::from(calendar[4]) * 3600 + i64::from(calendar[5]) * 60 + i64::from(calendar[6])
}

fn write_user(call: &GuestCall<'_>, address: u64) -> Result<(), GuestFault> {
    call.memory().write_u64(address, USER[0])?;
    Ok(call.memory().write_u64(address + 8, USER[1])?)
}

fn open_user(call: &GuestCall<'_>) -> Result<(), GuestFault> {
    write_user(call, call.x(0))?;
    call.memory().write_u64(call.x(0) + 0x10, 0)?;
    call.process().milestone("user opened");
    Ok(())
}

fn resolution(call: &GuestCall<'_>) -> (u32, u32) {
    if call.process().services().settings().docked { (1920, 1080) } else { (1280, 720) }
}

pub(super) fn register(r: &HostRegistry) {
    r.register_all(
        &[
            "_ZN2nn2oe10InitializeEv",
            "_ZN2nn2oe17FinishStartupLogoEv",
            "_ZN2nn2oe23EnableGamePlayRecordingEPvm",
            "_ZN2nn2oe15SetCpuBoostModeENS0_12CpuBoostModeE",
            "_ZN2nn2oe18ReportUserIsActiveEv",
            "_ZN2nn2oe31EnterExitRequestHandlingSectionEv",
            "_ZN2nn2oe31LeaveExitRequestHandlingSectionEv",
            "_ZN2nn2oe42SetOperationModeChangedNotificationEnabledEb",
            "_ZN2nn2oe44SetPerformanceModeChangedNotificationEnabledEb",
            "_ZN2nn2oe28SetResumeNotificationEnabledEb",
            "_ZN2nn2oe20SetFocusHandlingModeENS0_17FocusHandlingModeE",
            "_ZN2nn2oe20SetFocusHandlingModeEi",
            "_ZN2nn2oe27SetPerformanceConfigurationENS0_15PerformanceModeEi",
            "_ZN2nn2oe38SetUserInactivityDetectionTimeExtendedEb",
            "_ZN2nn2oe22SetCpuOverclockEnabledEb",
        ],
        |_| {},
    );
    r.register("_ZN2nn2oe16GetOperationModeEv", |c| u32::from(c.process().services().settings().docked));
    r.register("_ZN2nn2oe18GetPerformanceModeEv", |c| u32::from(c.process().services().settings().docked));
    r.register("_ZN2nn2oe20GetCurrentFocusStateEv", |_| 1u32);
    r.register("_ZN2nn2oe25TryPopNotificationMessageEPj", |_| false);
    r.register("_ZN2nn2oe27GetDefaultDisplayResolutionEPiS1_", |c| {
        let (width, height) = resolution(c);
        c.memory().write_u32(c.x(0), width)?;
        Ok::<_, GuestFault>(c.memory().write_u32(c.x(1), height)?)
    });
    r.register("_ZN2nn2oe38GetDefaultDisplayResolutionChangeEventEPNS_2os11SystemEventE", |c| {
        super::os_sync::initialize_kernel_event(c, c.x(0), true).map(|_| ())
    });
    r.register("_ZN2nn2oe27GetPerformanceConfigurationENS0_15PerformanceModeE", |_| 0x0002_0003u32);
    r.register_all(
        &[
            "_ZN2nn2oe37IsUserInactivityDetectionTimeExtendedEv",
            "_ZN2nn2oe21IsCpuOverclockEnabledEv",
            "_ZN2nn2oe21TryPopLaunchParameterEPmPvm",
        ],
        |_| false,
    );
    r.register("_ZN2nn2oe18GetDesiredLanguageEv", |c| language_word(&c.process().services().settings().language));
    r.register("_ZN2nn2oe17GetDisplayVersionEPNS0_14DisplayVersionE", |c| {
        Ok::<_, GuestFault>(c.memory().write(c.x(0), b"1.0.0\0\0\0\0\0\0\0\0\0\0\0")?)
    });
    r.register("_ZN2nn2oe15ExitApplicationEv", |c| -> () { c.process().exit_from_guest(0) });

    r.register("_ZN2nn8settings12LanguageCode4MakeENS0_8LanguageE", |c| {
        language_word(LANGUAGES.get(c.w(0) as usize).copied().unwrap_or("en-US"))
    });
    r.register("_ZN2nn8settings15GetLanguageCodeEPNS0_12LanguageCodeE", |c| {
        Ok::<_, GuestFault>(c.memory().write_u64(c.x(0), language_word(&c.process().services().settings().language))?)
    });
    r.register("_ZN2nn8settingseqERKNS0_12LanguageCodeES3_", |c| {
        Ok::<_, GuestFault>(c.memory().read_u64(c.x(0))? == c.memory().read_u64(c.x(1))?)
    });

    r.register_all(
        &["_ZN2nn7account10InitializeEv", "_ZN2nn7account8FinalizeEv", "_ZN2nn7account9CloseUserERKNS0_10UserHandleE"],
        |_| {},
    );
    r.register("_ZN2nn7account19OpenPreselectedUserEPNS0_10UserHandleE", |c| open_user(c).map(|()| 0u32));
    r.register("_ZN2nn7account22TryOpenPreselectedUserEPNS0_10UserHandleE", |c| open_user(c).map(|()| true));
    r.register("_ZN2nn7account8OpenUserEPNS0_10UserHandleERKNS0_3UidE", |c| {
        let asked = [c.memory().read_u64(c.x(1))?, c.memory().read_u64(c.x(1) + 8)?];
        if asked != USER {
            return Ok(Err(USER_NOT_FOUND));
        }
        open_user(c).map(Ok)
    });
    r.register_all(
        &["_ZN2nn7account9GetUserIdEPNS0_3UidERKNS0_10UserHandleE", "_ZN2nn7account17GetLastOpenedUserEPNS0_3UidE"],
        |c| write_user(c, c.x(0)).map(|()| 0u32),
    );
    r.register("_ZN2nn7account11GetNicknameEPNS0_8NicknameERKNS0_3UidE", |c| {
        c.memory().fill(c.x(0), 0, 0x21)?;
        c.memory().write(c.x(0), b"Player")?;
        Ok::<_, GuestFault>(0u32)
    });
    r.register("_ZN2nn7account12ListAllUsersEPiPNS0_3UidEi", |c| {
        let count = u32::from(c.i32(2) > 0);
        if count == 1 {
            write_user(c, c.x(1))?;
        }
        c.memory().write_u32(c.x(0), count)?;
        Ok::<_, GuestFault>(0u32)
    });
    r.register("_ZN2nn7account12GetUserCountEPi", |c| {
        c.memory().write_u32(c.x(0), 1)?;
        Ok::<_, GuestFault>(0u32)
    });

    r.register_all(&["_ZN2nn4time10InitializeEv", "_ZN2nn4time8FinalizeEv"], |_| 0u32);
    r.register("_ZN2nn4time13IsInitializedEv", |_| true);
    r.register("_ZN2nn4time23StandardUserSystemClock14GetCurrentTimeEPNS0_9PosixTimeE", |c| {
        c.memory().write_u64(c.x(0), wall_clock(c) as u64)?;
        Ok::<_, GuestFault>(0u32)
    });
    r.register(
        "_ZN2nn4time14ToCalendarTimeEPNS0_12CalendarTimeEPNS0_22CalendarAdditionalInfoERKNS0_9PosixTimeE",
        |c| {
            let seconds = c.memory().read_u64(c.x(2))? as i64;
            c.memory().write(c.x(0), &calendar(seconds))?;
            if c.x(1) != 0 {
                let days = seconds.div_euclid(86_400);
                let (year, _, _) = date_from_days(days);
                let mut info = [0u8; 0x18];
                info[0..4].copy_from_slice(&((days + 4).rem_euclid(7) as u32).to_le_bytes());
                info[4..8].copy_from_slice(&((days - days_from_date(year, 1, 1)) as i32).to_le_bytes());
                info[8..11].copy_from_slice(b"UTC");
                c.memory().write(c.x(1), &info)?;
            }
            Ok::<_, GuestFault>(0u32)
        },
    );
    r.register("_ZN2nn4time19ToCalendarTimeInUtcERKNS0_9PosixTimeE", |c| {
        Ok::<_, GuestFault>(u64::from_le_bytes(calendar(c.memory().read_u64(c.x(0))? as i64)))
    });
    r.register("_ZN2nn4time18ToPosixTimeFromUtcERKNS0_12CalendarTimeE", |c| {
        Ok::<_, GuestFault>(seconds_of(c.memory().read_u64(c.x(0))?.to_le_bytes()))
    });
    r.register("_ZN2nn4util11ReferSymbolEPKv", |_| {});
    r.register("__nnDetailNintendoSdkRuntimeObjectFileRefer", |_| {});
    r.register("__nnDetailNintendoSdkNsoFileRefer", |_| {});
    r.register("__nnmusl_fini_dso", |_| {});
    r.register_all(&["_ZN2nn2ro10InitializeEv", "_ZN2nn2ro8FinalizeEv"], |_| 0u32);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calendar_times_convert_both_ways() {
        for (seconds, expected) in [
            (0, [0xB2, 0x07, 1, 1, 0, 0, 0, 0]),
            (951_782_400 + 3661, [0xD0, 0x07, 2, 29, 1, 1, 1, 0]),
            (1_488_499_200, [0xE1, 0x07, 3, 3, 0, 0, 0, 0]),
            (-1, [0xB1, 0x07, 12, 31, 23, 59, 59, 0]),
        ] {
            assert_eq!(calendar(seconds), expected, "{seconds}");
            assert_eq!(seconds_of(expected), seconds);
        }
        for days in (-200_000..200_000).step_by(17) {
            let (year, month, day) = date_from_days(days);
            assert_eq!(days_from_date(year, month, day), days);
        }
    }

    #[test]
    fn language_codes_are_eight_bytes() {
        assert_eq!(language_word("en-US").to_le_bytes(), *b"en-US\0\0\0");
        assert_eq!(language_word("zh-Hans").to_le_bytes(), *b"zh-Hans\0");
        assert_eq!(LANGUAGES[17], "pt-BR");
    }
}
