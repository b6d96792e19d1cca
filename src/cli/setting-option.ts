import type { Option } from 'commander';

const settingsGroup = 'Settings:';

/** Marks an option as a setting of the service, which the help lists only with `--all`. */
export const asSetting = (option: Option): Option => option.helpGroup(settingsGroup);

export const isSetting = ({ helpGroupHeading }: Option): boolean => helpGroupHeading === settingsGroup;
