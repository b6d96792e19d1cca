import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Cpu, Hash, Search } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../api/api.ts';
import { typedEntryId } from '../api/entry-id.ts';
import type { SearchPage } from '../api/types.ts';
import { formatDay, formatId } from '../components/format.ts';
import type { Command } from './commands.ts';

const settleMs = 150;
const maxEntries = 5;
const maxDevices = 3;

/**
 * Returns commands that open the entry with the typed number, devices with the text in their names and entries with the
 * words, and a command that searches for the words.
 */
export function useFoundEntries(text: string): Command[] {
  const { t } = useTranslation('palette');
  const navigate = useNavigate();
  const asked = text.trim();
  const { data: page } = useEntries(useSettled(asked));
  if (asked === '') return [];
  const open = (id: number) => () =>
    void navigate({ to: '/entries/$entryId', params: { entryId: String(id) }, search: {} });
  const number = typedEntryId(asked);
  const byNumber: Command[] =
    number === undefined
      ? []
      : [
          {
            id: 'number',
            group: 'entries',
            label: t('openEntry', { id: formatId(number) }),
            icon: Hash,
            run: open(number),
          },
        ];
  const found = (page?.logs ?? []).map(
    ({ id, title, level, createdDate }): Command => ({
      id: `entry ${id}`,
      group: 'entries',
      label: title,
      icon: { level },
      note: formatDay(createdDate),
      run: open(id),
    }),
  );
  const devices = [...new Set((page?.logs ?? []).flatMap(({ devices: names = [] }) => names))]
    .filter((name) => name.toLowerCase().includes(asked.toLowerCase()))
    .slice(0, maxDevices)
    .map(
      (name): Command => ({
        id: `device ${name}`,
        group: 'entries',
        label: t('openDevice', { name }),
        icon: Cpu,
        run: () => void navigate({ to: '/devices/$name', params: { name }, search: {} }),
      }),
    );
  const search: Command = {
    id: 'search',
    group: 'entries',
    label: t('searchFor', { text: asked }),
    icon: Search,
    run: () => void navigate({ to: '/', search: { query: asked } }),
  };
  return [...byNumber, ...devices, ...found, search];
}

function useEntries(query: string) {
  return useQuery({
    queryKey: ['hits', 'palette', query],
    queryFn: async ({ signal }): Promise<SearchPage> => {
      const params = { query: { query, view: 'list', size: String(maxEntries) } };
      return dataOf(await api.GET('/logs/search', { params, signal }));
    },
    enabled: query.length > 1,
    placeholderData: keepPreviousData,
    retry: false,
    gcTime: 60_000,
  });
}

/** The text once it has not changed for a moment. */
function useSettled(text: string): string {
  const [settled, settle] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => settle(text), settleMs);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
