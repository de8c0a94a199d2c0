// `npm run reset`: empties `.data/` (databases, keys, certificates, secrets of `npm start`).
import { rmSync } from 'node:fs';
import { dataDir } from './paths.ts';

rmSync(dataDir, { recursive: true, force: true });
console.log('.data/ is empty. The next start makes new keys and an empty shop.');
