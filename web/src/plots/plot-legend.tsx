import { useTranslation } from 'react-i18next';
import { type Curves, maxCurves } from './curves.ts';
import { formatReading } from './format-value.ts';
import type { PlotColumn } from './plot-source.ts';

interface PlotLegendProps {
  readonly columns: readonly PlotColumn[];
  readonly names: readonly string[];
  readonly curves: Curves;
  /** Values at the cursor, of the shown columns in the order of their colours. */
  readonly values: readonly (number | null | undefined)[];
  readonly onToggle: (column: number) => void;
}

/** Names of the curves with their values at the cursor; each can be switched on and off. */
export function PlotLegend({ columns, names, curves, values, onToggle }: PlotLegendProps) {
  const { t } = useTranslation('plot');
  const shown = curves.filter((one) => one !== undefined);
  const isFull = shown.length === maxCurves;
  return (
    <fieldset className="plot-legend">
      <legend className="visually-hidden">{t('curves')}</legend>
      {columns.map((one, column) => {
        const colour = curves.indexOf(column);
        const value = values[shown.indexOf(column)];
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a column is its position
          <label key={column} className={`plot-curve curve-${colour + 1}`}>
            <input
              type="checkbox"
              checked={colour >= 0}
              disabled={isFull && colour < 0}
              onChange={() => onToggle(column)}
            />
            <i className="swatch" />
            <span className="cut">{names[column]}</span>
            {colour >= 0 && (
              <span className="number value">{typeof value === 'number' && formatReading(one, value)}</span>
            )}
            <span className="muted">{one.unit}</span>
          </label>
        );
      })}
      {isFull && columns.length > maxCurves && <p className="hint">{t('full', { count: maxCurves })}</p>}
    </fieldset>
  );
}
