import { existsSync } from 'node:fs';

/** A browser of this machine; where there is none, the one that Playwright brings. */
const executablePath = [process.env.CHROME_PATH, '/usr/bin/chromium'].find(
  (path) => path !== undefined && existsSync(path),
);

/** How the tests start Chromium. */
export const launchOptions = {
  ...(executablePath && { executablePath }),
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-sync'],
};
