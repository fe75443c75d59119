package normalizers_test
import ("testing";"fmt";"sort";"context";"toolproof/normalizers")
func BenchmarkZZ(b *testing.B){
 tools,_ := corpus(b)
 for _,p:=range normalizers.Pipelines{
  var r []float64; var most int
  for _,tool:=range tools{ res,err:=p.Normalize(context.Background(),tool); if err!=nil{b.Fatal(err)}; n:=tool.Node().Size(); r=append(r,float64(res.Steps)/float64(n)); most=max(most,res.Steps)}
  sort.Float64s(r)
  fmt.Println(p.Name(),"steps/value median",r[len(r)/2],"p99",r[len(r)*99/100],"max",r[len(r)-1],"most steps",most)
 }
}
