import i18next from 'i18next';

/** Returns the name of a shift; the default names of the service are translated. */
export function shiftName(name: string): string {
  const known: Readonly<Record<string, 'early' | 'late' | 'night' | 'day'>> = {
    Early: 'early',
    Late: 'late',
    Night: 'night',
    Day: 'day',
  };
  const key = known[name];
  return key === undefined ? name : i18next.t(`shifts.${key}`);
}
