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

/** Maximum number of devices that are plotted. More than in a block, because a program has written the file. */
export const maxDevices = 32;
/** Maximum number of axes that are plotted. */
const maxAxes = 8;
/** Maximum number of devices that are named although they are not plotted. */
const maxOmitted = 50;

/** Returns the axes with the devices of their traces, without those that have none, in time that is linear in both. */
export function withDevices(
  heads: readonly AxisHead[],
  traces: readonly DataBrowserTrace[],
): { readonly axes: readonly DataBrowserAxis[]; readonly omittedDevices: readonly string[] } {
  const all = [...new Set(traces.map(({ device }) => device))];
  const shown = new Set(all.slice(0, maxDevices));
  const byAxis = heads.map(() => new Set<string>());
  for (const { device, axis } of traces) if (shown.has(device)) byAxis[axis]?.add(device);
  const axes = heads.map((head, at): DataBrowserAxis => ({ ...head, devices: [...(byAxis[at] ?? [])] }));
  return {
    // The same device may be on thousands of axes.
    axes: axes.filter(({ devices }) => devices.length > 0).slice(0, maxAxes),
    omittedDevices: all.slice(maxDevices, maxDevices + maxOmitted),
  };
}
