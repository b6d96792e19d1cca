import { plotLimits } from '../../../packages/control-system/plot-block.ts';
import { parseXml } from '../app/trusted-types.ts';
import { type DataBrowserRange, dataBrowserRange } from './data-browser-range.ts';

/** An axis with the devices whose curves are on it. */
export interface DataBrowserAxis {
  /** Undefined: it has none of its own. */
  readonly name: string | undefined;
  readonly isLog: boolean;
  readonly devices: readonly string[];
}

/** The plot that a file of the Data Browser of Phoebus describes. */
export interface DataBrowserPlot {
  readonly title: string;
  readonly range: DataBrowserRange;
  /** Axes without a device are left out. */
  readonly axes: readonly DataBrowserAxis[];
  /** Devices that exceed the limit of a plot. */
  readonly omittedDevices: readonly string[];
}

const maxNameLength = 200;

/** Reads a file of the Data Browser; undefined: it is another one, or describes no plot. */
export function readDataBrowser(xml: string, aroundMs: number): DataBrowserPlot | undefined {
  // One that is cut off is no XML. Such files have no document type, and no entities of their own.
  const isWhole = xml.includes('<databrowser>') && xml.trimEnd().endsWith('</databrowser>');
  if (!isWhole || /<!(?:DOCTYPE|ENTITY)/i.test(xml)) return undefined;
  const { documentElement: root } = parseXml(xml);
  if (root.nodeName !== 'databrowser' || root.getElementsByTagName('parsererror').length > 0) return undefined;
  const range = dataBrowserRange(textOf(root, 'start'), textOf(root, 'end'), aroundMs);
  const traces = readTraces(root);
  const shown = new Set([...new Set(traces.map(({ device }) => device))].slice(0, plotLimits.names));
  const axes = childrenOf(root, 'axes', 'axis').map((axis, at): DataBrowserAxis => {
    const name = textOf(axis, 'use_axis_name') === 'false' ? '' : textOf(axis, 'name');
    const devices = traces.filter((trace) => trace.axis === at && shown.has(trace.device)).map(({ device }) => device);
    const isLog = textOf(axis, 'log_scale') === 'true';
    return { name: name === '' ? undefined : name, isLog, devices: [...new Set(devices)] };
  });
  const used = axes.filter(({ devices }) => devices.length > 0);
  if (!range || used.length === 0) return undefined;
  const omitted = new Set(traces.map(({ device }) => device).filter((device) => !shown.has(device)));
  return { title: textOf(root, 'title'), range, axes: used, omittedDevices: [...omitted] };
}

function readTraces(root: Element): { readonly device: string; readonly axis: number }[] {
  return childrenOf(root, 'pvlist', 'pv').flatMap((pv) => {
    // The prefix names a protocol.
    const device = textOf(pv, 'name').replace(/^(?:ca|pva):\/\//, '');
    if (device === '' || textOf(pv, 'visible') === 'false') return [];
    return [{ device, axis: Number(textOf(pv, 'axis') || 0) }];
  });
}

function childrenOf(root: Element, list: string, name: string): Element[] {
  const of = (parent: Element | undefined, wanted: string) =>
    [...(parent?.children ?? [])].filter(({ nodeName }) => nodeName === wanted);
  return of(of(root, list)[0], name);
}

function textOf(parent: Element, name: string): string {
  const child = [...parent.children].find(({ nodeName }) => nodeName === name);
  return (child?.textContent ?? '').trim().slice(0, maxNameLength);
}
