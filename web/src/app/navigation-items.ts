import { ArrowLeftRight, Inbox, List, type LucideIcon, Monitor, Pencil } from 'lucide-react';

/** Pages that the side panel leads to. */
export const navigationItems: readonly {
  readonly to: string;
  readonly label: NavigationLabel;
  readonly icon: LucideIcon;
}[] = [
  { to: '/', label: 'entries', icon: List },
  { to: '/inbox', label: 'inbox', icon: Inbox },
  { to: '/drafts', label: 'drafts', icon: Pencil },
  { to: '/hand-over', label: 'handOver', icon: ArrowLeftRight },
  { to: '/wall', label: 'wall', icon: Monitor },
];

type NavigationLabel = 'entries' | 'inbox' | 'drafts' | 'handOver' | 'wall';
