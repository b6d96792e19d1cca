import { ArrowLeftRight, List, type LucideIcon, Monitor, Pencil } from 'lucide-react';

/** The places that the side panel leads to. */
export const places: readonly { readonly to: string; readonly label: PlaceLabel; readonly icon: LucideIcon }[] = [
  { to: '/', label: 'entries', icon: List },
  { to: '/drafts', label: 'drafts', icon: Pencil },
  { to: '/hand-over', label: 'handOver', icon: ArrowLeftRight },
  { to: '/wall', label: 'wall', icon: Monitor },
];

type PlaceLabel = 'entries' | 'drafts' | 'handOver' | 'wall';
