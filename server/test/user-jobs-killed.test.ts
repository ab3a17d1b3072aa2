/** A process is killed three times while it runs a job over users. Each user gets the action once, and the job ends once; `user-jobs-killed.long.test.ts` has more users. */
import { testKilledJobs } from './support/killed-jobs.ts'

await testKilledJobs(600)
