// A command imports this file before all others. npm only warns when it installs a package on a
// Node.js that is too old; on such a version, the missing `node:sqlite` would cause a stack trace
// instead of a clear message.

/** The oldest supported Node.js. A test compares it with the package.json of each program. */
const oldestNode = '22.19';

const [major = 0, minor = 0] = oldestNode.split('.').map(Number);
const [hereMajor = 0, hereMinor = 0] = process.versions.node.split('.').map(Number);
if (hereMajor < major || (hereMajor === major && hereMinor < minor)) {
  process.stderr.write(
    `This program needs Node.js ${oldestNode} or later; this is ${process.versions.node}.\n`,
  );
  process.exit(1);
}

export {};
