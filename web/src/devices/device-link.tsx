import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

interface DeviceLinkProps {
  readonly name: string;
  readonly children?: ReactNode;
}

/** A link to the page of a device. */
export function DeviceLink({ name, children }: DeviceLinkProps) {
  return (
    <Link className="device-link" to="/devices/$name" params={{ name }} search={{}}>
      {children ?? <span className="device">{name}</span>}
    </Link>
  );
}
