import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Sees to it that the request after this one on its connection is answered too, or that the client
 * hears that none will be.
 */
export function keepInStep(incoming: IncomingMessage, outgoing: ServerResponse): void {
  // Asked for another protocol, Node's parser loses what came right behind the request, also when
  // nobody speaks that protocol.
  if (incoming.headers.upgrade !== undefined) outgoing.setHeader('connection', 'close');
  outgoing.once('finish', () => discardRest(incoming));
}

/** What Node does by itself with an expectation it does not know (RFC 9110 10.1.1), in step. */
export function refuseExpectation(incoming: IncomingMessage, outgoing: ServerResponse): void {
  keepInStep(incoming, outgoing);
  outgoing.writeHead(417).end();
}

/** How much of a body that was refused is thrown away, in bytes, before its connection is cut. */
const MAX_DISCARDED = 16_777_216;

/**
 * Throws away what is left of a body after its answer. Node does so only where nobody has read a
 * part, and whoever stopped reading has stopped the connection too.
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
