import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import type { KeyRing } from '../environments/keys.ts';
import { listen, type ListenOptions, type Listener } from '../listener/listener.ts';
import { SandboxError } from '../platform/problem.ts';
import { deviate } from './call.ts';
import { mutantNames, mutants } from './mutants.ts';

/**
 * Listens as {@link listen} does, or as a named mutant: the API is the same, with a deviation in
 * front of it.
 * @throws {SandboxError} for an unknown mutant
 */
export async function listenAs(
  mutant: string | undefined,
  keys: KeyRing,
  options: ListenOptions,
): Promise<Listener> {
  if (mutant === undefined) return listen(options);
  const found = mutants.find(({ name }) => name === mutant);
  if (!found?.how) {
    throw new SandboxError(`There is no mutant ${mutant}. Known: ${mutantNames.join(', ')}.`);
  }
  if (found.how === 'plain-http') return listenPlainToo(options);
  return listen({ ...options, app: deviate(options.app, keys, found.how) });
}

/** First byte of a TLS connection: a handshake record (RFC 8446 5.1). */
const TLS_HANDSHAKE = 0x16;

/** Serves TLS and plain HTTP on one port, by the first byte. */
async function listenPlainToo({ identity, ...options }: ListenOptions): Promise<Listener> {
  if (!identity) throw new SandboxError('Only a listener with TLS can be broken this way.');
  const secure = await listen({ ...options, identity, port: 0 });
  const plain = await listen({ ...options, port: 0 });
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy());
  };
  const front = createServer((socket) => {
    keep(socket);
    socket.once('data', (first: Buffer) => {
      const { port } = first[0] === TLS_HANDSHAKE ? secure : plain;
      const behind = connect(port, options.host);
      keep(behind);
      behind.write(first);
      socket.pipe(behind).pipe(socket);
    });
  });
  front.listen(options.port, options.host);
  await once(front, 'listening');
  return {
    ...secure,
    port: (front.address() as AddressInfo).port,
    close: async () => {
      const closed = once(front, 'close');
      front.close();
      for (const socket of sockets) socket.destroy();
      await Promise.all([closed, secure.close(), plain.close()]);
    },
  };
}
