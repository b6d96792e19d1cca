import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { CurveTexts } from './curve-of.ts';

/** Returns the labels of curves in the language of the page. */
export function useCurveTexts(): CurveTexts {
  const { t } = useTranslation('device');
  return useMemo(
    () => ({
      ...{ time: t('time'), alarm: t('alarm'), mean: t('mean'), lowest: t('lowest'), highest: t('highest') },
      limits: {
        alarmHigh: t('limit.alarmHigh'),
        warningHigh: t('limit.warningHigh'),
        warningLow: t('limit.warningLow'),
        alarmLow: t('limit.alarmLow'),
      },
    }),
    [t],
  );
}
