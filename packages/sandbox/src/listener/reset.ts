import type { Socket } from 'node:net';

/** The TCP socket below each TLS one: only a TCP socket can be reset. */
const below = new WeakMap<Socket, Socket>();

/** Remembers which TCP socket a TLS socket stands on. */
export function standsOn(tls: Socket, tcp: Socket): void {
  below.set(tls, tcp);
}

/** Ends a connection with a TCP reset: no goodbye of TLS or TCP. */
export function resetConnection(socket: Socket | null): void {
  if (!socket) return;
  (below.get(socket) ?? socket).resetAndDestroy();
}
