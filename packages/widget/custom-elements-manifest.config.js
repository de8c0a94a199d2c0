// The analyzer finds this file by its name. Without it, the analyzer writes the path of its temporary
// output folder into package.json.
export default { packagejson: false };
