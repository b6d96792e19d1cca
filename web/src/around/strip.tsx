import type { ReactNode } from 'react';
import { isShown, placeOf, useChart } from './use-chart.ts';

interface StripProps {
  readonly label: string;
  readonly className: string;
  readonly children: ReactNode;
}

/** A row of marks on the common axis, with lines at the moment and at the cursor. */
export function Strip({ label, className, children }: StripProps) {
  const chart = useChart();
  const lines = [
    { name: 'moment', ms: chart.moment },
    { name: 'cursor', ms: chart.cursor?.place },
  ];
  return (
    <div className={`around-strip ${className}`}>
      <span className="around-label muted" aria-hidden="true" style={{ width: chart.gutter }}>
        {label}
      </span>
      <div className="around-place">
        {lines.map(
          ({ name, ms }) =>
            ms !== undefined &&
            isShown(chart, ms) && <i key={name} className={`around-${name}`} style={{ left: placeOf(chart, ms) }} />,
        )}
        {children}
      </div>
    </div>
  );
}
