interface AxisHead {
  /** Undefined: the axis has no name. */
  readonly name: string | undefined;
  readonly isLog: boolean;
}

/** An axis with the devices whose curves are on it. */
export interface DataBrowserAxis extends AxisHead {
  readonly devices: readonly string[];
}

export interface DataBrowserTrace {
  readonly device: string;
  /** Number of its axis, from 0. */
  readonly axis: number;
}

/**
 * Maximum number of devices, and of axes, that are plotted. More than in a block, because a program has written the
 * file.
 */
export const maxDevices = 32;
/** Maximum number of devices that are named although they are not plotted. */
const maxOmitted = 50;

/** Returns the axes with the devices of their traces, without those that have none, in time that is linear in both. */
export function withDevices(
  heads: readonly AxisHead[],
  traces: readonly DataBrowserTrace[],
): { readonly axes: readonly DataBrowserAxis[]; readonly omittedDevices: readonly string[] } {
  const placed = traces.filter(({ axis }) => heads[axis] !== undefined);
  const all = [...new Set(placed.map(({ device }) => device))];
  const shown = new Set(all.slice(0, maxDevices));
  const byAxis = heads.map(() => new Set<string>());
  for (const { device, axis } of placed) if (shown.has(device)) byAxis[axis]?.add(device);
  const axes = heads
    .map((head, at): DataBrowserAxis => ({ ...head, devices: [...(byAxis[at] ?? [])] }))
    .filter(({ devices }) => devices.length > 0)
    // The same device may be on thousands of axes.
    .slice(0, maxDevices);
  const plotted = new Set(axes.flatMap(({ devices }) => devices));
  return { axes, omittedDevices: all.filter((device) => !plotted.has(device)).slice(0, maxOmitted) };
}
