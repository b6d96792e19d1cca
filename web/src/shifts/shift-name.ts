import i18next from 'i18next';

/** The name of a shift; those that the service has by default are translated. */
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
