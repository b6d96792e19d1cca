import { Fragment } from 'react';
import { useTranslation } from 'react-i18next';

/** Keys of a shortcut: `Shift Y`, or `G then E` for one after the other. */
export function Keys({ of }: { readonly of: string }) {
  const { t } = useTranslation();
  return (
    <>
      {of.split(' ').map((key, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same key may be pressed twice
        <Fragment key={at}>{key === 'then' ? ` ${t('keysThen')} ` : <kbd>{key}</kbd>}</Fragment>
      ))}
    </>
  );
}
