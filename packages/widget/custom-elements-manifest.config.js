// Found by the analyzer by its name. It would write the folder it is told to write to, one that is
// gone a moment later, into package.json.
export default { packagejson: false };
