// For a command to import before all else. npm installs a package for a Node.js that is too old
// with a warning alone; there, `node:sqlite` would be missed by a stack trace in place of a word.

/** The oldest Node.js this runs on. A test holds it to package.json's. */
export const oldestNode = '22.16';

const [major = 0, minor = 0] = oldestNode.split('.').map(Number);
const [hereMajor = 0, hereMinor = 0] = process.versions.node.split('.').map(Number);
if (hereMajor < major || (hereMajor === major && hereMinor < minor)) {
  process.stderr.write(
    `financing-companion needs Node.js ${oldestNode} or later; this is ${process.versions.node}.\n`,
  );
  process.exit(1);
}
