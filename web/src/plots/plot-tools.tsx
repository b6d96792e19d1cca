import { ImageDown, Maximize2, ZoomIn, ZoomOut } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { IconButton } from '../components/icon-button.tsx';

interface PlotToolsProps {
  readonly title: ReactNode;
  /** Whether there is a plot in addition to the table. */
  readonly canDraw: boolean;
  readonly shows: 'plot' | 'table';
  readonly show: (one: 'plot' | 'table') => void;
  readonly hasLogX: boolean;
  readonly isLogX: boolean;
  readonly setLogX: (is: boolean) => void;
  readonly isLogY: boolean;
  readonly setLogY: (is: boolean) => void;
  /** Shows a part that is wider by the factor. */
  readonly zoom: (factor: number) => void;
  readonly onWhole: () => void;
  readonly save: () => void;
}

/** The title of a plot, and what can be done with it. */
export function PlotTools({ title, canDraw, shows, show, hasLogX, zoom, onWhole, save, ...logs }: PlotToolsProps) {
  const { t } = useTranslation('plot');
  return (
    <div className="plot-head">
      {title}
      <span className="grow" />
      {shows === 'plot' && (
        <>
          {hasLogX && <Toggle label={t('logX')} isOn={logs.isLogX} onToggle={() => logs.setLogX(!logs.isLogX)} />}
          <Toggle label={t('logY')} isOn={logs.isLogY} onToggle={() => logs.setLogY(!logs.isLogY)} />
          <IconButton small icon={ZoomOut} label={t('zoomOut')} keys="-" onClick={() => zoom(2)} />
          <IconButton small icon={ZoomIn} label={t('zoomIn')} keys="+" onClick={() => zoom(0.5)} />
          <IconButton small icon={Maximize2} label={t('whole')} keys="0" onClick={onWhole} />
          <IconButton small icon={ImageDown} label={t('savePicture')} onClick={save} />
        </>
      )}
      {canDraw && (
        <div className="segment">
          {(['plot', 'table'] as const).map((one) => (
            <button key={one} type="button" className="button" aria-pressed={shows === one} onClick={() => show(one)}>
              {t(one)}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}

interface ToggleProps {
  readonly label: string;
  readonly isOn: boolean;
  readonly onToggle: () => void;
}

function Toggle({ label, isOn, onToggle }: ToggleProps) {
  return (
    <button type="button" className="button small" aria-pressed={isOn} onClick={onToggle}>
      {label}
    </button>
  );
}
