import { useTranslation } from 'react-i18next';
import type { MergeChange } from './merge-content.ts';

/** Returns the function that names the field of a change. */
export function useFieldName(): (change: MergeChange) => string {
  const { t } = useTranslation('write');
  return ({ field, where }) => {
    if (field === 'text') return t('merge.textSettled', { line: where });
    return field === 'property' ? (where ?? '') : t(field);
  };
}
