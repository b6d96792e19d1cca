import { useNavigate } from '@tanstack/react-router';
import { useShortcut } from '../keys/use-shortcut.ts';
import { useNewEntry } from './new-entry.ts';

/** The shortcuts that lead to another page. */
export function useGoTo(): void {
  const navigate = useNavigate();
  const go = (to: string) => void navigate({ to });
  useShortcut('write', useNewEntry());
  useShortcut('goToEntries', () => go('/'));
  useShortcut('goToDrafts', () => go('/drafts'));
  useShortcut('goToHandOver', () => go('/hand-over'));
}
