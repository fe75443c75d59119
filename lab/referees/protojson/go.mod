module toolproof/lab/referees/protojson

go 1.26.0

require (
	cloud.google.com/go/ai v0.20.0
	cloud.google.com/go/aiplatform v1.127.1
	google.golang.org/protobuf v1.36.12
)

require (
	cloud.google.com/go/longrunning v1.3.0 // indirect
	golang.org/x/net v0.61.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/text v0.43.0 // indirect
	google.golang.org/genproto v0.0.0-20261012220534-4341edf3f941 // indirect
	google.golang.org/genproto/googleapis/api v0.0.0-20261012220534-4341edf3f941 // indirect
	google.golang.org/genproto/googleapis/rpc v0.0.0-20261012220534-4341edf3f941 // indirect
	google.golang.org/grpc v1.84.0 // indirect
)

replace google.golang.org/genproto => google.golang.org/genproto v0.0.0-20261019180522-ce908d29299b

replace google.golang.org/genproto/googleapis/api => google.golang.org/genproto/googleapis/api v0.0.0-20261019180522-ce908d29299b

replace google.golang.org/genproto/googleapis/rpc => google.golang.org/genproto/googleapis/rpc v0.0.0-20261019180522-ce908d29299b
