import type { IncomingMessage, ServerResponse } from 'node:http';

/** Keeps the connection usable for the next request, or tells the client that it closes. */
export function keepInStep(incoming: IncomingMessage, outgoing: ServerResponse): void {
  // After an upgrade request, Node's parser loses the bytes that follow it, even when no upgrade
  // happens.
  if (incoming.headers.upgrade !== undefined) outgoing.setHeader('connection', 'close');
  outgoing.once('finish', () => discardRest(incoming));
}

/**
 * Rejects an unknown Expect header like Node (RFC 9110 10.1.1), but keeps the connection usable.
 */
export function refuseExpectation(incoming: IncomingMessage, outgoing: ServerResponse): void {
  keepInStep(incoming, outgoing);
  outgoing.writeHead(417).end();
}

/** Maximum bytes of a rejected body to discard; after that, the connection is closed. */
const MAX_DISCARDED = 16_777_216;

/**
 * Discards the rest of a request body after the response. Node does this only for unread bodies; a
 * reader that stops halfway blocks the connection.
 */
function discardRest(incoming: IncomingMessage): void {
  if (incoming.complete || incoming.destroyed) return;
  let discarded = 0;
  incoming.removeAllListeners('data');
  incoming.on('data', (piece: Buffer) => {
    discarded += piece.byteLength;
    if (discarded > MAX_DISCARDED) incoming.destroy();
  });
  incoming.resume();
}
