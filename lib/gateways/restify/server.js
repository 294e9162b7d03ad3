// express-restify-mongoose in front of the documents of the crud experiment, with its own defaults.
const fs = require('fs')
const express = require('express')
const mongoose = require('mongoose')
const restify = require('express-restify-mongoose')

const schema = new mongoose.Schema(
  { _id: Number, age: Number, test1: String, test2: String, test3: String, test4: String },
  { versionKey: false }
)

async function start () {
  // The address holds a password: it stands in a file that only we can read.
  await mongoose.connect(fs.readFileSync(process.env.GATEWAY_URI_FILE, 'utf8'), { dbName: 'ycsb' })
  const app = express()
  app.use(express.json())
  const router = express.Router()
  restify.serve(router, mongoose.model('crud', schema, 'crud'), { name: 'crud', prefix: '', version: '' })
  app.use(router)
  app.listen(Number(process.env.GATEWAY_PORT), '127.0.0.1')
}

start().catch((error) => {
  console.error(error)
  process.exit(1)
})
