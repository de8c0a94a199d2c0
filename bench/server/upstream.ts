// Stands in for the service: answers a prime over HTTPS, as fast as it can.
import { createServer } from 'node:https';
import { readFileSync } from 'node:fs';
import { ready, setting } from './contestant.ts';

const authorization = `Bearer ${setting('BENCH_PRIVATE_KEY')}`;
let count = 0;

createServer(
  {
    key: readFileSync(setting('BENCH_UPSTREAM_KEY_FILE')),
    cert: readFileSync(setting('BENCH_CA_FILE')),
    keepAlive: true,
  },
  (request, response) => {
    if (request.url === '/made') return void response.end(String(count));
    let bytes = 0;
    request.on('data', (chunk: Buffer) => (bytes += chunk.length));
    request.on('end', () => {
      const good =
        request.headers.authorization === authorization &&
        request.headers['content-type']?.startsWith('application/json') &&
        request.url === '/v1/checkout/prime' &&
        bytes > 0;
      const body = good
        ? JSON.stringify({
            id: `session-${++count}`,
            applicationId: `application-${count}`,
            expirationDate: new Date(Date.now() + 3_600_000).toISOString(),
          })
        : '';
      response
        .writeHead(good ? 200 : 401, {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
        })
        .end(body);
    });
  },
).listen(Number(setting('BENCH_UPSTREAM_PORT')), '127.0.0.1', ready);
