import { useCallback, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Hit, Me } from '../api/types.ts';
import { useMe } from '../session/me.ts';
import { showToast } from '../toasts/toasts.ts';
import type { Results } from './use-results.ts';

/** Maximum number of entries that the service groups in one request. */
const maxSelected = 1_000;

/** The entries that were selected in the list. They stay selected while other entries are searched for. */
export interface Selection {
  readonly hits: ReadonlyMap<number, Hit>;
  /** Whether the user may write some entries, and so can select entries. */
  readonly isOffered: boolean;
  /** Selects the entry at the position, or deselects it. */
  readonly toggle: (index: number) => void;
  /** Selects the entries from the one that was selected last to the position. */
  readonly extendTo: (index: number) => void;
  readonly clear: () => void;
}

export function useSelection({ hitAt, indexOf }: Results): Selection {
  const { t } = useTranslation('find');
  const me = useMe();
  const [hits, setHits] = useState<ReadonlyMap<number, Hit>>(new Map());
  const lastId = useRef<number>(undefined);
  const add = useCallback(
    (more: readonly Hit[]) => {
      const writable = more.filter((hit) => closedLogbook(hit, me) === undefined);
      const refused = more.find((hit) => !writable.includes(hit));
      if (refused) showToast(t('mayNotWrite', { logbook: closedLogbook(refused, me) }), { tone: 'problem' });
      setHits((known) => {
        const next = new Map(known);
        for (const hit of writable) if (next.size < maxSelected) next.set(hit.id, hit);
        return next;
      });
    },
    [me, t],
  );
  const toggle = useCallback(
    (index: number) => {
      const hit = hitAt(index);
      if (!hit) return;
      lastId.current = hit.id;
      if (hits.has(hit.id)) setHits(new Map([...hits].filter(([id]) => id !== hit.id)));
      else add([hit]);
    },
    [hitAt, hits, add],
  );
  const extendTo = useCallback(
    (index: number) => {
      const last = lastId.current === undefined ? -1 : indexOf(lastId.current);
      const from = last < 0 ? index : last;
      const length = Math.abs(index - from) + 1;
      if (length > maxSelected) {
        showToast(t('selectFewer', { count: maxSelected }), { tone: 'problem' });
        return;
      }
      const between = Array.from({ length }, (_, at) => hitAt(Math.min(index, from) + at));
      if (between.includes(undefined)) {
        showToast(t('selectUnread'), { tone: 'problem' });
        return;
      }
      add(between.filter((hit) => hit !== undefined));
      lastId.current = hitAt(index)?.id;
    },
    [hitAt, indexOf, add, t],
  );
  const clear = useCallback(() => setHits(new Map()), []);
  const isOffered = typeof me?.userName === 'string' && me.permissions.includes('entries');
  return useMemo(() => ({ hits, isOffered, toggle, extendTo, clear }), [hits, isOffered, toggle, extendTo, clear]);
}

/** Returns a logbook of the entry to which the user may not write; undefined if there is none. */
function closedLogbook({ logbooks }: Hit, me: Me | undefined): string | undefined {
  const closed = new Set(me?.logbooks.filter(({ write }) => !write).map(({ name }) => name));
  return logbooks.find(({ name }) => closed.has(name))?.name;
}
