import {
  AppWindow,
  BookOpen,
  FileText,
  History,
  KeyRound,
  Lock,
  type LucideIcon,
  SlidersHorizontal,
  Tag,
  TriangleAlert,
} from 'lucide-react';
import type { Me } from '../api/types.ts';

export type SectionName =
  | 'logbooks'
  | 'tags'
  | 'levels'
  | 'properties'
  | 'templates'
  | 'access'
  | 'audit'
  | 'sessions'
  | 'tokens';

interface Section {
  readonly name: SectionName;
  readonly icon: LucideIcon;
  /** `logbook`: for its administrators; `me`: for everyone who is signed in. */
  readonly group: 'logbook' | 'me';
  /** The permission that it needs. */
  readonly right?: string;
}

export const sections: readonly Section[] = [
  { name: 'logbooks', icon: BookOpen, group: 'logbook', right: 'logbooks' },
  { name: 'tags', icon: Tag, group: 'logbook', right: 'tags' },
  { name: 'levels', icon: TriangleAlert, group: 'logbook', right: 'levels' },
  { name: 'properties', icon: SlidersHorizontal, group: 'logbook', right: 'properties' },
  { name: 'templates', icon: FileText, group: 'logbook', right: 'templates' },
  { name: 'access', icon: Lock, group: 'logbook', right: 'admin' },
  { name: 'audit', icon: History, group: 'logbook', right: 'admin' },
  { name: 'sessions', icon: AppWindow, group: 'me' },
  { name: 'tokens', icon: KeyRound, group: 'me' },
];

/** The sections that the user may use; none without sign-in. */
export function permittedSections(me: Me | undefined): readonly Section[] {
  if (typeof me?.userName !== 'string') return [];
  return sections.filter(({ right }) => right === undefined || me.permissions.includes(right));
}
