import { Fragment } from 'react';

/** Keys of a shortcut: `Shift Y`, or `G then E` for one after the other. */
export function Keys({ of }: { readonly of: string }) {
  return (
    <>
      {of.split(' ').map((key, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same key may be pressed twice
        <Fragment key={at}>{key === 'then' ? ' then ' : <kbd>{key}</kbd>}</Fragment>
      ))}
    </>
  );
}
