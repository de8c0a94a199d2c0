// `npm run test:merchant`: installs the packed packages with npm in an empty folder, and tests them with
// shops in several languages and frameworks, and with bundlers that the workspace does not have. Unlike
// `npm test` it needs the npm registry, python3 and php.
import { testProject } from './project.ts';

testProject('merchant');
