import { useTranslation } from 'react-i18next';
import { changeSetting, useSettings } from '../settings/settings.ts';

const [min, max] = [360, 640];
const clamp = (width: number): number => Math.round(Math.min(max, Math.max(min, width)));

/** The edge between list and entry: dragged, or moved with the arrows. The width is remembered. */
export function ListDivider() {
  const { t } = useTranslation('find');
  const { listWidth } = useSettings();
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule cannot be moved
    <div
      className="divider"
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={t('listWidth')}
      aria-valuemin={min}
      aria-valuemax={max}
      aria-valuenow={listWidth}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={(event) => {
        if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
        const left = event.currentTarget.parentElement?.getBoundingClientRect().left ?? 0;
        changeSetting('listWidth', clamp(event.clientX - left));
      }}
      onDoubleClick={() => changeSetting('listWidth', 468)}
      onKeyDown={(event) => {
        const by = event.key === 'ArrowLeft' ? -16 : event.key === 'ArrowRight' ? 16 : 0;
        if (by !== 0) changeSetting('listWidth', clamp(listWidth + by));
      }}
    />
  );
}
