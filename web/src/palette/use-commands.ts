import { useQuery } from '@tanstack/react-query';
import { useLocation, useNavigate } from '@tanstack/react-router';
import {
  ArrowLeftRight,
  Bookmark,
  BookOpen,
  ChevronRight,
  FileText,
  Inbox,
  Keyboard,
  List,
  LogIn,
  LogOut,
  type LucideIcon,
  Monitor,
  Moon,
  Pencil,
  Plus,
  Search,
  Sun,
  Tag,
} from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { permittedSections } from '../administration/sections.ts';
import { useNewEntry } from '../app/new-entry.ts';
import { parseSearch } from '../app/url-search.ts';
import { findSearch } from '../find/find-search.ts';
import { type FilterKey, withValue } from '../find/query-terms.ts';
import { savedSearchesQuery, storedSearch } from '../find/saved-searches.tsx';
import { type ShortcutName, shortcuts, shownKeys } from '../keys/shortcuts.ts';
import { isShortcutTaken, runShortcut } from '../keys/use-shortcut.ts';
import { signOut, useBootstrap, useMe } from '../session/me.ts';
import { changeSetting, shownTheme, useSettings } from '../settings/settings.ts';
import type { Command } from './commands.ts';

/** Returns the commands that are available now, in the order of their groups. */
export function useCommands(): Command[] {
  return [
    ...useGoToCommands(),
    ...useShortcutCommands(),
    ...useSettingsCommands(),
    ...useSavedSearches(),
    ...useNarrowing(),
    ...useAdministrationCommands(),
  ];
}

function useGoToCommands(): Command[] {
  const { t } = useTranslation('palette');
  const { t: tCommon } = useTranslation();
  const navigate = useNavigate();
  const newEntry = useNewEntry();
  const place = (to: string, label: string, icon: LucideIcon, shortcut?: ShortcutName): Command => ({
    id: `go ${to}`,
    group: 'goTo',
    label,
    icon,
    keys: shortcut && shownKeys(shortcut),
    isFirst: true,
    run: () => void navigate({ to, search: {} as never }),
  });
  return [
    { ...place('/write', tCommon('newEntry'), Plus, 'write'), run: newEntry },
    place('/', tCommon('entries'), List, 'goToEntries'),
    place('/inbox', tCommon('inbox'), Inbox),
    place('/drafts', tCommon('drafts'), Pencil, 'goToDrafts'),
    place('/hand-over', tCommon('handOver'), ArrowLeftRight, 'goToHandOver'),
    place('/wall', tCommon('wall'), Monitor),
    {
      id: 'search box',
      group: 'goTo',
      label: t('keys.search'),
      icon: Search,
      keys: shownKeys('search'),
      run: () => void runShortcut('search'),
    },
  ];
}

const notListed: readonly ShortcutName[] = ['next', 'previous', 'open', 'unfold', 'fold', 'send'];

/** The shortcuts of the list and of the entry that do something now. */
function useShortcutCommands(): Command[] {
  const { t } = useTranslation('palette');
  // Read once: which shortcuts do something does not change while the palette is open.
  const [taken] = useState(() =>
    (Object.keys(shortcuts) as ShortcutName[]).filter((name) => isShortcutTaken(name) && !notListed.includes(name)),
  );
  return taken.flatMap((name): Command[] => {
    const { group } = shortcuts[name];
    if (group === 'anywhere') return [];
    const icon = group === 'entry' ? FileText : ChevronRight;
    return [
      {
        id: name,
        group,
        label: t(`keys.${name}`),
        icon,
        keys: shownKeys(name),
        isFirst: group === 'entry',
        run: () => void runShortcut(name),
      },
    ];
  });
}

function useSettingsCommands(): Command[] {
  const { t } = useTranslation('palette');
  const { t: tCommon } = useTranslation();
  const me = useMe();
  const navigate = useNavigate();
  const settings = useSettings();
  const theme = shownTheme(settings);
  const themes = (['light', 'dark', 'night'] as const).filter((one) => one !== theme);
  const common = { group: 'settings' } as const;
  const isSignedIn = typeof me?.userName === 'string';
  return [
    ...themes.map((one) => ({
      ...common,
      id: `theme ${one}`,
      label: t(`themes.${one}`),
      icon: one === 'light' ? Sun : Moon,
      run: () => changeSetting('theme', one),
    })),
    {
      ...common,
      id: 'single keys',
      label: t(settings.singleKeys ? 'singleKeysOff' : 'singleKeysOn'),
      icon: Keyboard,
      run: () => changeSetting('singleKeys', !settings.singleKeys),
    },
    {
      ...common,
      id: 'sheet',
      label: t('keys.sheet'),
      icon: Keyboard,
      keys: shownKeys('sheet'),
      isFirst: true,
      run: () => void runShortcut('sheet'),
    },
    isSignedIn
      ? { ...common, id: 'sign out', label: tCommon('signOut'), icon: LogOut, run: () => void signOut() }
      : {
          ...common,
          id: 'sign in',
          label: tCommon('signIn'),
          icon: LogIn,
          isFirst: true,
          run: () => void navigate({ to: '/sign-in' }),
        },
  ];
}

function useSavedSearches(): Command[] {
  const navigate = useNavigate();
  const me = useMe();
  const { data = [] } = useQuery({ ...savedSearchesQuery, enabled: typeof me?.userName === 'string' });
  return data.map(({ id, name, query }) => ({
    id: `saved ${id}`,
    group: 'saved',
    label: name,
    icon: Bookmark,
    isFirst: true,
    run: () => void navigate({ to: '/', search: storedSearch(query) }),
  }));
}

/** Levels, logbooks and tags, added to the present search. */
function useNarrowing(): Command[] {
  const { t } = useTranslation('palette');
  const configuration = useBootstrap()?.configuration;
  const navigate = useNavigate();
  const { searchStr } = useLocation();
  const narrow = (key: FilterKey, value: string, icon: Command['icon'], label: string): Command => ({
    id: `${key} ${value}`,
    group: 'narrow',
    label,
    icon,
    run: () => {
      const search = findSearch(parseSearch(searchStr));
      const query = withValue(search.query, key, value, 'in');
      void navigate({ to: '/', search: { ...search, ...(query !== undefined && { query }) } });
    },
  });
  const { levels = [], logbooks = [], tags = [] } = configuration ?? {};
  return [
    ...levels.map((name) => narrow('level', name, { level: name }, t('narrowLevel', { name }))),
    ...logbooks.map(({ name }) => narrow('logbook', name, BookOpen, t('narrowLogbook', { name }))),
    ...tags.map(({ name }) => narrow('tag', name, Tag, t('narrowTag', { name }))),
  ];
}

function useAdministrationCommands(): Command[] {
  const { t } = useTranslation('administration');
  const me = useMe();
  const navigate = useNavigate();
  return permittedSections(me).map(({ name, icon }) => ({
    id: `administration ${name}`,
    group: 'administration',
    label: t(`sections.${name}`),
    icon,
    run: () => void navigate({ to: '/administration/$section', params: { section: name } }),
  }));
}
