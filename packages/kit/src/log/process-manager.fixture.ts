/* Captures standard output as PM2 does in cluster mode: by replacing `process.stdout.write`. */
import { createWriteStream } from 'node:fs';
import { createPinoLogger, exitAfterLogging } from './pino-logger.ts';

const [, , file = ''] = process.argv;
const lines = createWriteStream(file);
process.stdout.write = (chunk: string | Uint8Array, ...rest: unknown[]) => {
  const callback = rest.findLast((value) => typeof value === 'function');
  return lines.write(chunk, () => void callback?.());
};

const logger = createPinoLogger<{ count?: number }>({ fields: { count: true } });
for (let count = 0; count < 1_000; count++) logger.log('info', 'counted', { count });
// Keeps the event loop alive, so that only an explicit exit ends the process.
setInterval(() => undefined, 60_000);
exitAfterLogging(70);
