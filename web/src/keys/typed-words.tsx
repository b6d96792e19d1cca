import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { settleEntry } from './awaited-entry.ts';
import { giveKeysTo, isFieldMissing, keepKeys, writeTyped } from './held-keys.ts';

/**
 * Takes what is typed for a field that could not be loaded. The field gets the text once it has loaded, also after a
 * reload. `isOfEntry`: no entry will be shown either, so that no keys wait for one.
 */
export function TypedWords({ isOfEntry = false }: { readonly isOfEntry?: boolean }) {
  const { t } = useTranslation();
  const [isShown] = useState(isFieldMissing);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    const awaitAgain = isOfEntry ? settleEntry() : undefined;
    if (field.current) giveKeysTo(field.current);
    else keepKeys();
    return awaitAgain;
  }, [isOfEntry]);
  if (!isShown) return null;
  return (
    <textarea
      ref={field}
      className="input"
      rows={3}
      aria-label={t('problem.typed')}
      onInput={({ currentTarget }) => writeTyped(currentTarget.value)}
    />
  );
}
