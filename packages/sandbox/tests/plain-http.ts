import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { listen, type App, type Listener } from '../src/listener/listener.ts';

/** First byte of a TLS connection: a handshake record (RFC 8446 5.1). */
const TLS_HANDSHAKE = 0x16;

/**
 * Serves TLS and plain HTTP on one port, by the first byte of a connection.
 * @param securePort port of the API, to which TLS connections are forwarded
 * @param app handles plain HTTP
 */
export async function listenPlainToo(
  securePort: number,
  app: App,
): Promise<Pick<Listener, 'port' | 'close'>> {
  const host = '127.0.0.1';
  const plain = await listen({ name: 'plain HTTP', option: '', host, port: 0, app });
  const sockets = new Set<Socket>();
  const add = (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy());
  };
  const front = createServer((socket) => {
    add(socket);
    socket.once('data', (first: Buffer) => {
      const behind = connect(first[0] === TLS_HANDSHAKE ? securePort : plain.port, host);
      add(behind);
      behind.write(first);
      socket.pipe(behind).pipe(socket);
    });
  });
  front.listen(0, host);
  await once(front, 'listening');
  return {
    port: (front.address() as AddressInfo).port,
    close: async () => {
      const closed = once(front, 'close');
      front.close();
      for (const socket of sockets) socket.destroy();
      await Promise.all([closed, plain.close()]);
    },
  };
}
