import type { Socket } from 'node:net';

/** The TCP socket under each TLS socket, because only a TCP socket can be reset. */
const below = new WeakMap<Socket, Socket>();

export function setTcpSocket(tls: Socket, tcp: Socket): void {
  below.set(tls, tcp);
}

/** Closes a connection with a TCP reset, without a TLS or TCP shutdown. */
export function resetConnection(socket: Socket | null): void {
  if (!socket) return;
  (below.get(socket) ?? socket).resetAndDestroy();
}
