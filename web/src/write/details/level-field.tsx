import { Check } from 'lucide-react';
import { type KeyboardEvent, useId } from 'react';
import { useTranslation } from 'react-i18next';
import { Icon } from '../../components/icon.tsx';
import { Level, levelRank } from '../../components/level.tsx';

interface LevelFieldProps {
  readonly levels: readonly string[];
  readonly level: string;
  readonly onChange: (level: string) => void;
}

/** Chooses one of the levels. The arrow keys move between them. */
export function LevelField({ levels, level, onChange }: LevelFieldProps) {
  const { t } = useTranslation('write');
  const id = useId();
  const sorted = [...levels].sort((one, other) => levelRank(one) - levelRank(other));
  const move = (event: KeyboardEvent<HTMLElement>) => {
    const by = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    const at = (sorted.indexOf(level) + by + sorted.length) % sorted.length;
    onChange(sorted[at] ?? level);
    (event.currentTarget.children[at] as HTMLElement | undefined)?.focus();
  };
  return (
    <div className="field">
      <div className="label" id={id}>
        {t('level')}
      </div>
      <div className="level-pick" role="radiogroup" aria-labelledby={id} tabIndex={-1} onKeyDown={move}>
        {sorted.map((one) => (
          // biome-ignore lint/a11y/useSemanticElements: a native radio button cannot have this look
          <button
            key={one}
            type="button"
            role="radio"
            aria-checked={one === level}
            tabIndex={one === level || (!sorted.includes(level) && one === sorted[0]) ? 0 : -1}
            onClick={() => onChange(one)}
          >
            <Level level={one} />
            {one === level && <Icon of={Check} />}
          </button>
        ))}
      </div>
    </div>
  );
}
