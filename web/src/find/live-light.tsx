import { Pause, Play } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { IconButton } from '../components/icon-button.tsx';
import { useLiveState } from '../live/live-connection.ts';
import './live-light.css';

export interface LiveLightProps {
  /** Whether the list holds back new entries. */
  readonly isPaused: boolean;
  /** Pauses or resumes the list; undefined if its order does not allow it to follow. */
  readonly onSwitch: (() => void) | undefined;
}

/** Shows whether new entries are announced and whether the list holds them back, with a switch for that. */
export function LiveLight({ isPaused, onSwitch }: LiveLightProps) {
  const { t } = useTranslation();
  const { t: tFind } = useTranslation('find');
  const state = useLiveState();
  const shown = state === 'live' && isPaused ? 'paused' : state;
  const name = t(`connection.${shown}`);
  return (
    <>
      {onSwitch && (
        <IconButton
          className="ghost live-switch"
          icon={isPaused ? Play : Pause}
          label={tFind(isPaused ? 'follow' : 'pause')}
          small
          onClick={onSwitch}
        />
      )}
      <span className={`live ${shown}`} role="status" title={shown === 'paused' ? tFind('pausedText') : name}>
        {name}
      </span>
    </>
  );
}
