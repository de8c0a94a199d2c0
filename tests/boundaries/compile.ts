import ts from 'typescript';

/**
 * The errors of a project, each as a line of `tsc --pretty false -p`. In this process: to load the
 * compiler, and to read what all projects have in common, takes longer than most of them.
 * @param project its tsconfig.json
 * @param folder what the names of files in it begin at
 */
export function errorsOf(project: string, folder: string): string {
  const names = {
    getCurrentDirectory: () => folder,
    getCanonicalFileName: (name: string) => name,
    getNewLine: () => '\n',
  };
  const parsed = ts.getParsedCommandLineOfConfigFile(project, undefined, {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic: (diagnostic) => {
      throw new Error(ts.formatDiagnostic(diagnostic, names));
    },
  });
  if (!parsed) throw new Error(`${project} is no project.`);
  const { errors, fileNames: rootNames, options, projectReferences } = parsed;
  const program = ts.createProgram({
    rootNames,
    options,
    host: sharingHost(options),
    configFileParsingDiagnostics: errors,
    ...(projectReferences && { projectReferences }),
  });
  return ts.formatDiagnostics(ts.getPreEmitDiagnostics(program), names);
}

/** Files that were read, by how and where: the declarations of the language are those of all. */
const read = new Map<string, ts.SourceFile>();

function sharingHost(options: ts.CompilerOptions): ts.CompilerHost {
  const host = ts.createCompilerHost(options);
  return {
    ...host,
    getSourceFile(name, how, ...more) {
      const format = typeof how === 'object' ? how.impliedNodeFormat : undefined;
      const key = [name, format, options.target, options.module, options.strict].join('\n');
      const file = read.get(key) ?? host.getSourceFile(name, how, ...more);
      if (file) read.set(key, file);
      return file;
    },
  };
}
