import { Circle, CircleCheck, CircleDot, CircleX } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { Entry } from '../api/types.ts';
import { Icon } from './icon.tsx';
import './run-status.css';

const icons = { running: CircleDot, done: CircleCheck, failed: CircleX, abandoned: Circle } as const;

/** The status of a run as shape and word. */
export function RunStatus({ run }: { readonly run: NonNullable<Entry['run']> }) {
  const { t } = useTranslation();
  return (
    <span className={`run-status ${run.status}`}>
      <Icon of={icons[run.status]} />
      {t(`run.${run.status}`)}
    </span>
  );
}
